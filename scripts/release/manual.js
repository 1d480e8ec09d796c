import { bold, escaped, item, line, paragraphs, section, verbatim } from './roff.js';
import { FOLDERS, VARIABLES } from './variables.js';

/**
 * @typedef {import('../../src/command/help/layout.js').HelpPage} HelpPage
 * @typedef {import('../../src/command/help/layout.js').HelpSection} HelpSection
 * @typedef {object} Source
 * @property {ReadonlyMap<string, HelpPage>} pages by name: `svc`, `payins`, `payins.create`
 * @property {string} version
 * @property {number} time in seconds: pages are dated
 * @property {readonly (readonly [codes: string, meaning: string])[]} exits every exit code
 * @property {(commands: readonly { type: string }[]) => string[]} shell command lines as they are pasted
 */

const IN_SVC = ['all', 'flags'];

/** @param {Source} source @returns {Map<string, string>} */
export function manualOf(source) {
  const named = [...source.pages].filter(([name]) => !IN_SVC.includes(name));
  return new Map(named.sort().map(([name]) => [`${manualName(name)}.1`, pageOf(name, source)]));
}

/** @param {string} page */
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
    // Left-aligned and without broken words, so that a reader can search for a command.
    '.nh\n.ad l',
    section('NAME', [line(`${title} - ${about}`)]),
    section('SYNOPSIS', [synopsis(name, page)]),
    section('DESCRIPTION', [paragraphs([...(name === 'svc' ? [] : [summary]), ...more].join('\n'))]),
    section('COMMANDS', name === 'svc' ? commands(source) : rows(page, 'COMMANDS', bold)),
    section('ARGUMENTS', rows(page, 'ARGUMENTS', upright)),
    section('OPTIONS', options(name, page, source)),
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

/** @param {Source} source */
function commands({ pages }) {
  return (pages.get('all') ?? []).flatMap((part) => (part.kind === 'rows' ? groupOf(part, part.title) : []));
}

/** @param {string} name @param {HelpPage} page @param {Source} source */
function options(name, page, { pages }) {
  const flags = (name === 'svc' ? (pages.get('flags') ?? []) : page).flatMap((part) =>
    part.kind === 'rows' && part.rows.some(([flag]) => /^ *-/.test(flag)) ? groupOf(part, part.title) : [],
  );
  if (name === 'svc' || find(page, 'USAGE') === undefined) return flags;
  return [...flags, `.PP\nFlags of every command are in ${bold('svc')}(1).`];
}

/** @param {Extract<HelpSection, { kind: 'rows' }>} part @param {string} title */
function groupOf(part, title) {
  const items = part.rows.map(([name, text]) => item(bold(name.trim()), text));
  return title === 'FLAGS' ? items : [`.SS ${escaped(title)}`, ...items];
}

/** @param {HelpPage} page @param {string} title @param {(name: string) => string} tone */
function rows(page, title, tone) {
  const found = find(page, title);
  return found?.kind === 'rows' ? found.rows.map(([name, text]) => item(tone(name.trim()), text)) : [];
}

/** @param {HelpPage} page @param {string} label */
function fact(page, label) {
  const all = page.flatMap((part) => (part.kind === 'facts' ? part.facts : []));
  return all.find((one) => one.label === label)?.pieces ?? [];
}

/** @param {HelpPage} page */
function endpoint(page) {
  const pieces = fact(page, 'Endpoint');
  return pieces.length > 0 ? [line(`${pieces.join('; ')}.`)] : [];
}

/** @param {string} name @param {HelpPage} page @param {Source} source */
function exits(name, page, source) {
  if (name === 'svc') return source.exits.map(([codes, meaning]) => item(bold(codes), meaning));
  if (find(page, 'USAGE') === undefined) return [];
  const own = fact(page, 'Exit codes').map((piece) => {
    const [codes = '', ...words] = piece.split(' ');
    return item(bold(codes), words.join(' '));
  });
  return [...own, `.PP\nCodes of every command are in ${bold('svc')}(1).`];
}

/** @param {string} name @param {HelpPage} page */
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
  const found = find(page, 'EXAMPLES');
  return found?.kind === 'commands' ? found.commands.map(({ type }) => verbatim(shell([{ type }]))) : [];
}

/** @param {string} name @param {Source} source */
function seeAlso(name, { pages }) {
  const topic = name.split('.')[0] ?? name;
  const isNear = (/** @type {string} */ other) =>
    other !== name &&
    (other === 'svc' || (name === 'svc' ? !other.includes('.') : other.split('.')[0] === topic));
  return [...pages.keys()]
    .filter((other) => isNear(other) && !IN_SVC.includes(other))
    .map((other) => `${bold(manualName(other))}(1)`)
    .join(',\n');
}

/** @param {string} name */
const upright = (name) => escaped(name);

/** @param {HelpPage} page @param {string} title @returns {HelpSection | undefined} */
function find(page, title) {
  return page.find((part) => 'title' in part && part.title === title);
}
