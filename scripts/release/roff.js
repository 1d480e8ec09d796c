const SPELLINGS = /** @type {Record<string, string>} */ ({
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
});

/** @param {string} text @returns {string} */
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

const LENGTH = 78;

/** No line begins with a sign that roff would obey. @param {string} text */
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

/** @param {string} text */
export const bold = (text) => `\\fB${escaped(text)}\\fR`;

/** @param {string} text */
export function paragraphs(text) {
  return text
    .split('\n')
    .filter((part) => part.trim() !== '')
    .map(line)
    .join('\n.PP\n');
}

/** @param {string} name @param {string} text */
export function item(name, text) {
  return ['.TP', `\\&${name}`, line(text) || '\\&'].join('\n');
}

/** @param {readonly string[]} lines */
export function verbatim(lines) {
  return ['.PP', '.RS 4', '.nf', ...lines.map((text) => `\\&${escaped(text)}`), '.fi', '.RE'].join('\n');
}

/** @param {string} title @param {readonly string[]} parts @returns {string} */
export function section(title, parts) {
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' ? '' : `.SH ${escaped(title)}\n${text.replace(/^\.PP\n/, '')}`;
}
