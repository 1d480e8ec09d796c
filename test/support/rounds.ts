/** How much a test draws: a tenth in the first tier, where many are tried for each change, and all in the rest. */
export function rounds(usual: number): number {
  return process.env['TIER'] === 'quick' ? Math.ceil(usual / 10) : usual;
}
