/** @param {string[]} words */
export function commandLine(words) {
  const lines = [''];
  for (const word of words) {
    const text = /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
    const line = lines.at(-1) ?? '';
    const starts = word.startsWith('--') && line.length > 70;
    if (starts) lines.push(`    ${text}`);
    else lines[lines.length - 1] = line === '' ? text : `${line} ${text}`;
  }
  return lines.join(' \\\n');
}
