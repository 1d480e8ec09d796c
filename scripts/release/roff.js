/** Text as roff takes it: whatever a text holds, it is printed and never obeyed. Pure. */

const SPELLINGS = /** @type {Record<string, string>} */ ({
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
});

/** A piece of a line. @param {string} text @returns {string} ASCII without a line end */
export function escaped(text) {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .replaceAll(/[\\'`^~"-]/g, (sign) => SPELLINGS[sign] ?? sign)
    .replaceAll(/[^\0-\x7f]/gu, (sign) => {
      const digits = sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
      return `\\[u${digits}]`;
    });
}

/** A line of source is no longer than this, where words allow it. */
const LENGTH = 78;

/** A text in lines of source, none of which a sign at its beginning makes a request. @param {string} text */
export function line(text) {
  /** @type {string[]} */
  const lines = [''];
  for (const word of escaped(text).split(/ +/)) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= LENGTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((safe) => (/^[.']/.test(safe) ? `\\&${safe}` : safe)).join('\n');
}

/** In bold. @param {string} text */
export const bold = (text) => `\\fB${escaped(text)}\\fR`;

/** Paragraphs; what stands in lines of its own stays so. @param {string} text */
export function paragraphs(text) {
  return text
    .split('\n')
    .filter((part) => part.trim() !== '')
    .map(line)
    .join('\n.PP\n');
}

/** A name, and beneath it what it is. @param {string} name ready @param {string} text */
export function item(name, text) {
  return ['.TP', `\\&${name}`, line(text) || '\\&'].join('\n');
}

/** Lines that stay as they are: what is typed. @param {readonly string[]} lines */
export function verbatim(lines) {
  return ['.PP', '.RS 4', '.nf', ...lines.map((text) => `\\&${escaped(text)}`), '.fi', '.RE'].join('\n');
}

/** @param {string} title @param {readonly string[]} parts @returns {string} empty where nothing is in it */
export function section(title, parts) {
  const text = parts.filter((part) => part !== '').join('\n');
  // A title begins a paragraph already.
  return text === '' ? '' : `.SH ${escaped(title)}\n${text.replace(/^\.PP\n/, '')}`;
}
