/** The shells that can be completed, and the script of each. */
import { renderBash } from './bash.js';
import { renderFish } from './fish.js';
import type { Spec } from './spec.js';
import { renderZsh } from './zsh.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const RENDERERS: Readonly<Record<Shell, (spec: Spec) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

export function renderCompletion(shell: Shell, spec: Spec): string {
  return RENDERERS[shell](spec);
}
