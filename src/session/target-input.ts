/** Collects flags, environment and settings, from which the target is chosen. */
import type { TargetInput } from './choices.js';
import { readSettings } from './settings-file.js';
import type { Ports } from '../runtime/ports.js';
import type { Where } from './place-flags.js';

/** Collects what decides the target. @throws Failure `local_state` for damaged settings */
export function targetInput({ env, paths }: Pick<Ports, 'env' | 'paths'>, flags: Where): TargetInput {
  const { profile, live, sandbox, 'base-url': baseUrl, 'insecure-loopback': insecureLoopback } = flags;
  return { flags: { profile, live, sandbox, baseUrl, insecureLoopback }, env, settings: readSettings(paths) };
}
