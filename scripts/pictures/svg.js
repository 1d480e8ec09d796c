const CELL = { width: 8.4, height: 18, margin: 14 };
const COLOURS = { 31: '#b42318', 32: '#1a7f37', 33: '#9a6700', 34: '#0550ae', 35: '#8250df', 36: '#1b7c83' };
const PLAIN = { bold: false, dim: false, colour: '' };
const SGR = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`);
const TEXT = '#1f2328';
const FAINT = '#6e7781';

/** @param {string} screen @param {number} columns @returns {string} */
export function pictureOf(screen, columns) {
  const lines = screen.replace(/\s+$/, '').split('\n');
  const width = Math.round(columns * CELL.width + 2 * CELL.margin);
  const height = Math.round(lines.length * CELL.height + 2 * CELL.margin);
  // A style lasts until it is reset, also across line ends.
  let style = PLAIN;
  const rows = lines.map((line, at) => {
    const y = CELL.margin + (at + 0.75) * CELL.height;
    const { spans, after } = spansOf(line, style);
    style = after;
    return `<text x="${CELL.margin}" y="${y}" xml:space="preserve">${spans}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="${TEXT}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff" stroke="#d0d7de"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {string} line @param {typeof PLAIN} before */
function spansOf(line, before) {
  let style = before;
  let spans = '';
  for (const part of line.split(SGR)) {
    if (SGR.test(part)) style = styled(style, part.slice(2, -1).split(';').map(Number));
    else if (part !== '') spans += `<tspan${attributesOf(style)}>${escaped(part)}</tspan>`;
  }
  return { spans, after: style };
}

/** @param {typeof PLAIN} style @param {number[]} codes */
function styled(style, codes) {
  let next = style;
  for (const code of codes) {
    if (code === 0) next = PLAIN;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 39) next = { ...next, colour: '' };
    else if (Object.hasOwn(COLOURS, code))
      next = { ...next, colour: COLOURS[/** @type {keyof typeof COLOURS} */ (code)] };
  }
  return next;
}

/** @param {typeof PLAIN} style */
function attributesOf({ bold, dim, colour }) {
  const fill = colour === '' ? (dim ? FAINT : '') : colour;
  return (bold ? ' font-weight="bold"' : '') + (fill === '' ? '' : ` fill="${fill}"`);
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
