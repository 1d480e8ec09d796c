/** The manual, from the pages of help: svc(1), a page for each topic and each command. Pure. */
import { bold, escaped, item, line, paragraphs, section, verbatim } from './roff.js';
import { FOLDERS, VARIABLES } from './variables.js';

/**
 * @typedef {import('../../src/cli/help/layout.js').HelpPage} HelpPage
 * @typedef {import('../../src/cli/help/layout.js').HelpSection} HelpSection
 * @typedef {object} Source
 * @property {ReadonlyMap<string, HelpPage>} pages by name: `svc`, `payins`, `payins.create`
 * @property {string} version
 * @property {number} time in seconds: pages are dated
 * @property {readonly (readonly [codes: string, meaning: string])[]} exits every exit code
 * @property {(commands: readonly { want?: string, type: string }[]) => string[]} shell command lines as they are pasted
 */

/** @param {Source} source @returns {Map<string, string>} file name to roff */
export function manualOf(source) {
  return new Map([...source.pages].sort().map(([name]) => [`${manualName(name)}.1`, pageOf(name, source)]));
}

/** `payins.create` is svc-payins-create(1). @param {string} page */
const manualName = (page) => (page === 'svc' ? 'svc' : `svc-${page.replaceAll('.', '-')}`);

/** @param {string} name @param {Source} source */
function pageOf(name, source) {
  const page = source.pages.get(name) ?? [];
  const texts = page.flatMap((part) => (part.kind === 'text' && part.text !== '' ? [part.text] : []));
  const [summary = '', ...more] = texts;
  const date = new Date(source.time * 1000).toISOString().slice(0, 10);
  const title = manualName(name);
  const about = name === 'svc' ? summary.replace(/^svc \S+: /, '') : summary.replace(/\.$/, '');
  const parts = [
    `.TH ${escaped(title.toUpperCase())} 1 ${date} "svc ${escaped(source.version)}" "svc manual"`,
    // Left-aligned and with no word broken: what is typed has to be found.
    '.nh\n.ad l',
    section('NAME', [line(`${title} - ${about}`)]),
    section('SYNOPSIS', [synopsis(name, page)]),
    section('DESCRIPTION', [paragraphs([...(name === 'svc' ? [] : [summary]), ...more].join('\n'))]),
    section('COMMANDS', rows(page, 'COMMANDS', bold)),
    section('ARGUMENTS', rows(page, 'ARGUMENTS', upright)),
    section('OPTIONS', [...rows(page, 'FLAGS', bold), ...globals(page)]),
    section('ENDPOINT', endpoint(page)),
    section('EXIT STATUS', exits(name, page, source)),
    section('ENVIRONMENT', environment(name, page)),
    section('FILES', name === 'svc' ? FOLDERS.map(([path, text]) => item(bold(path), text)) : []),
    section('EXAMPLES', examples(page, source)),
    section('SEE ALSO', [seeAlso(name, source)]),
  ];
  return `${parts.filter((part) => part !== '').join('\n')}\n`;
}

/** @param {string} name @param {HelpPage} page */
function synopsis(name, page) {
  const usage = find(page, 'USAGE');
  if (usage?.kind === 'commands') return usage.commands.map(({ type }) => bold(type)).join('\n.br\n');
  const words = name === 'svc' ? [] : name.split('.');
  return `${bold(['svc', ...words].join(' '))} ${escaped('COMMAND [flags]')}`;
}

/** @param {HelpPage} page */
function globals(page) {
  const items = rows(page, 'GLOBAL FLAGS', bold);
  return items.length === 0 ? [] : ['.SS Of every command', ...items];
}

/** @param {HelpPage} page @param {string} title @param {(name: string) => string} tone */
function rows(page, title, tone) {
  const found = find(page, title);
  return found?.kind === 'rows' ? found.rows.map(([name, text]) => item(tone(name.trim()), text)) : [];
}

/** @param {HelpPage} page */
function endpoint(page) {
  const found = find(page, 'ENDPOINT');
  return found?.kind === 'flow' && found.pieces.length > 0 ? [line(`${found.pieces.join('; ')}.`)] : [];
}

/** @param {string} name @param {HelpPage} page @param {Source} source */
function exits(name, page, source) {
  if (name === 'svc') return source.exits.map(([codes, meaning]) => item(bold(codes), meaning));
  const found = find(page, 'EXIT CODES');
  if (found?.kind !== 'flow') return [];
  return found.pieces.map((piece) => {
    const [codes = '', ...words] = piece.split(' ');
    return item(bold(codes), words.join(' '));
  });
}

/** All of it in svc(1); elsewhere what the page itself speaks of. @param {string} name @param {HelpPage} page */
function environment(name, page) {
  const text = JSON.stringify(page);
  const isSpokenOf = (/** @type {string} */ variable) => new RegExp(`\\b${variable}\\b`).test(text);
  const known = VARIABLES.filter(
    ([variable]) => name === 'svc' || (variable.length > 4 && isSpokenOf(variable)),
  );
  const items = known.map(([variable, meaning]) => item(bold(variable), meaning));
  return name === 'svc' ? items : [...items, `.PP\nWhat every command reads is in ${bold('svc')}(1).`];
}

/** @param {HelpPage} page @param {Source} source */
function examples(page, { shell }) {
  return ['WHAT PEOPLE DO FIRST', 'EXAMPLES'].flatMap((title) => {
    const found = find(page, title);
    if (found?.kind !== 'commands') return [];
    return found.commands.flatMap((command) => [
      ...(command.want === undefined ? [] : [`.PP\n${line(`${command.want}:`)}`]),
      verbatim(shell([{ type: command.type }])),
    ]);
  });
}

/** Above it, beside it and below it. @param {string} name @param {Source} source */
function seeAlso(name, { pages }) {
  const topic = name.split('.')[0] ?? name;
  const isNear = (/** @type {string} */ other) =>
    other !== name &&
    (other === 'svc' || (name === 'svc' ? !other.includes('.') : other.split('.')[0] === topic));
  return [...pages.keys()]
    .filter(isNear)
    .map((other) => `${bold(manualName(other))}(1)`)
    .join(',\n');
}

/** An argument, as help spells it. @param {string} name */
const upright = (name) => escaped(name);

/** @param {HelpPage} page @param {string} title @returns {HelpSection | undefined} */
function find(page, title) {
  return page.find((part) => part.kind !== 'text' && part.title === title);
}
