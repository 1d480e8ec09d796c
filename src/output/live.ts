/** The line before a question about real money: it stands out without colour too. */
import type { Style } from './style.js';

/** Marked, with a rule under it; without a line end. */
export function liveTitle(style: Style): string {
  const title = ` ${style.marks.alert} LIVE: real money. `;
  return `${style.alert(title)}\n${style.faint((style.marks.alert === '!' ? '=' : '━').repeat(title.length))}`;
}
