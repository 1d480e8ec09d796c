const ASCII_TEXT = /^[\x20-\x7e]*$/;
const ZERO_WIDTH_CHARACTER = /^[\p{M}\p{Cf}]$/u;
const WIDE_CHARACTER =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

export function widthOf(text: string): number {
  if (ASCII_TEXT.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  if (ZERO_WIDTH_CHARACTER.test(character)) return 0;
  return WIDE_CHARACTER.test(character) ? 2 : 1;
}

export function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const pieces = text.split(' ').flatMap((part) => chop(part, Math.max(width, 2)));
  return wrapPieces(pieces, width);
}

export function wrapPieces(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    if (line === '') line = piece;
    else if (widthOf(line) + 1 + widthOf(piece) <= width) line += ` ${piece}`;
    else {
      lines.push(line);
      line = piece;
    }
  }
  return [...lines, line];
}

function chop(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let [piece, usedWidth] = ['', 0];
  for (const character of word) {
    const characterWidth = widthOfCharacter(character);
    if (usedWidth + characterWidth > width) {
      pieces.push(piece);
      [piece, usedWidth] = ['', 0];
    }
    piece += character;
    usedWidth += characterWidth;
  }
  return [...pieces, piece];
}
