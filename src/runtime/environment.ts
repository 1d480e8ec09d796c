export function readVariable(name: string): string | undefined {
  return process.env[name];
}
