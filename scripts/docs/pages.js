/**
 * @typedef {import('./manifest.js').ManifestCommand} Command
 * @typedef {import('./manifest.js').ManifestFlag} Flag
 * @typedef {object} Facts what the pages say beside the manifest
 * @property {import('./manifest.js').Manifest} manifest
 * @property {Record<string, { method: string, path: string, scope: string | null, retry: string }>} endpoints the table
 * @property {Record<string, string>} topics what each topic is about
 * @property {[codes: string, meaning: string][]} exitRows every exit code with its meaning
 * @property {(id: string) => number[]} exitCodesOf those that a command can end with
 */

const GENERATED = '<!-- Written by `npm run docs` from the commands. Do not edit. -->\n\n';
const RETRIES = {
  safe: 'a read: repeated when no answer came',
  keyed: 'repeated with the same idempotency key and the same bytes',
  once: 'never repeated; its outcome is looked up instead',
};

/** @param {Facts} facts @returns {Map<string, string>} */
export function pagesOf(facts) {
  const commands = Object.values(facts.manifest.commands).filter((command) => command.hidden !== true);
  const topics = new Map(commands.map((command) => [topicOf(command), /** @type {Command[]} */ ([])]));
  for (const command of commands) topics.get(topicOf(command))?.push(command);
  const pages = [...topics].map(
    ([topic, members]) => /** @type {const} */ ([`${topic}.md`, topicPage(topic, members, facts)]),
  );
  return new Map([['README.md', indexPage(topics, facts)], ...pages]);
}

/** @param {Map<string, Command[]>} topics @param {Facts} facts */
function indexPage(topics, { topics: about, exitRows, manifest }) {
  const rows = [...topics].flatMap(([topic, members]) =>
    members.map((command) => [
      `[\`svc ${words(command)}\`](${topic}.md#${anchorOf(command)})`,
      command.summary ?? '',
    ]),
  );
  const [first] = Object.values(manifest.commands);
  const global = Object.values(first?.flags ?? {}).filter(isGlobal);
  return page([
    '# Reference',
    table(['command', 'what it does'], rows),
    '## Topics',
    [...topics]
      .filter(([topic]) => about[topic])
      .map(([topic]) => `- [${topic}](${topic}.md): ${about[topic]}`)
      .join('\n'),
    '## Flags of every command',
    flagTable(global),
    '## Exit codes',
    table(['code', 'meaning'], exitRows),
  ]);
}

/** @param {string} topic @param {Command[]} members @param {Facts} facts */
function topicPage(topic, members, facts) {
  const about = facts.topics[topic];
  return page([
    `# svc ${topic}`,
    about === undefined ? '' : `${about}.`,
    'Flags of every command and the meaning of exit codes: [reference](README.md).',
    ...members.flatMap((command) => section(command, facts)),
  ]);
}

/** @param {Command} command @param {Facts} facts */
function section(command, { endpoints, exitCodesOf }) {
  const args = Object.values(command.args).filter((arg) => arg.hidden !== true);
  const flags = Object.values(command.flags).filter((flag) => flag.hidden !== true && !isGlobal(flag));
  const row = command.endpoint ? endpoints[command.endpoint] : undefined;
  const codes = exitCodesOf(command.id);
  return [
    `<a id="${anchorOf(command)}"></a>\n\n## svc ${words(command)}`,
    command.summary ?? '',
    command.description ?? '',
    fence([usage(command, args, flags.length > 0)]),
    args.length === 0
      ? ''
      : table(
          ['argument', 'meaning'],
          args.map((arg) => [`\`${arg.name.toUpperCase()}\``, arg.description ?? '']),
        ),
    flags.length === 0 ? '' : flagTable(flags),
    command.examples?.length ? `Examples:\n\n${fence(command.examples)}` : '',
    row === undefined
      ? ''
      : `Endpoint: \`${row.method} ${row.path}\`. Scope: ${row.scope === null ? 'any valid key' : `\`${row.scope}\``}. ` +
        `${capital(RETRIES[/** @type {keyof typeof RETRIES} */ (row.retry)] ?? row.retry)}.`,
    `[Exit codes](README.md#exit-codes): ${codes.join(', ')}.`,
  ];
}

/** @param {Command} command @param {{ name: string, required?: boolean }[]} args @param {boolean} hasFlags */
function usage(command, args, hasFlags) {
  const named = args.map(({ name, required }) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`));
  const names = command.typedArguments === null ? named : [command.typedArguments];
  return [
    'svc',
    words(command),
    ...names,
    ...(hasFlags && !names.join(' ').includes('[flags]') ? ['[flags]'] : []),
  ].join(' ');
}

/** @param {Flag[]} flags */
function flagTable(flags) {
  return table(
    ['flag', 'meaning'],
    flags.map((flag) => [`\`${spelling(flag)}\``, meaning(flag)]),
  );
}

/** @param {Flag} flag */
function spelling(flag) {
  const value =
    flag.type === 'boolean' ? '' : ` ${flag.options?.join('|') ?? flag.helpValue ?? flag.name.toUpperCase()}`;
  return `${flag.char ? `-${flag.char}, ` : ''}--${flag.name}${value}`;
}

/** @param {Flag} flag */
function meaning(flag) {
  const notes = [flag.required ? 'Required.' : '', flag.multiple ? 'Repeatable.' : ''].filter(Boolean);
  const said = flag.summary ?? flag.description ?? '';
  return [
    said,
    ...notes.filter((note) => !said.toLowerCase().includes(note.slice(0, -1).toLowerCase())),
  ].join(' ');
}

/** @param {Flag} flag */
const isGlobal = (flag) => flag.helpGroup === 'GLOBAL';
/** @param {Command} command */
const topicOf = (command) => command.id.split(':')[0] ?? command.id;
/** @param {Command} command */
const words = (command) => command.id.replaceAll(':', ' ');
/** @param {Command} command */
const anchorOf = (command) => command.id.replaceAll(':', '.');
/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** @param {string[]} lines */
const fence = (lines) => ['```sh', ...lines, '```'].join('\n');
/** @param {string[]} parts */
const page = (parts) => `${GENERATED}${parts.filter(Boolean).join('\n\n')}\n`;

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
