/** Code that a user's program calls uses this function, because such code has no ports. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}
