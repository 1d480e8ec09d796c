/** Serves code that a user's program calls and that has no ports. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}
