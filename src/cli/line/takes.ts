/** What a flag or an argument takes: said where it is declared; help names it, and a shell completes it. */

const NAMES = {
  country: 'CC',
  currency: 'CUR',
  method: 'CODE',
  profile: 'NAME',
  /** A path inside a payer or a beneficiary. */
  field: 'PATH=VALUE',
  file: 'FILE',
} as const;

export type Taken = keyof typeof NAMES;

/** A part of the declaration: `Flags.string({ summary, ...takes('country') })`. Choices (`options`) say it by themselves. */
export function takes(taken: Taken): { readonly helpValue: string; readonly takes: Taken } {
  return { helpValue: NAMES[taken], takes: taken };
}
