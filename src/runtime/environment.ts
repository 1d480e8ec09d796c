/** A variable of this process, for what is called by somebody's program and is given no ports. */
export function variable(name: string): string | undefined {
  return process.env[name];
}
