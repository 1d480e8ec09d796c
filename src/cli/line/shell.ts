/** Command lines as they were typed: what is put into one, and what in one is secret. Pure. */

/** Flags go before `--`, behind which everything is a value. */
export function withFlags(typed: readonly string[], words: readonly string[]): string[] {
  const end = typed.indexOf('--');
  const at = end === -1 ? typed.length : end;
  return [...typed.slice(0, at), ...words, ...typed.slice(at)];
}

/** The words without these flags, each of which takes a value. */
export function withoutFlags(typed: readonly string[], names: readonly string[]): string[] {
  const end = typed.indexOf('--');
  return typed.filter((word, at) => {
    if (end !== -1 && at >= end) return true;
    const isFlag = (one: string | undefined): boolean => one !== undefined && names.includes(one);
    return !isFlag(word) && !isFlag(typed[at - 1]) && !names.some((name) => word.startsWith(`${name}=`));
  });
}

/** One-time codes, which may have letters: the value of `--code`, and other words that look like one. */
export function codesIn(argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const value = argv[at - 1] === '--code' ? word : /^--code=(.*)$/s.exec(word)?.[1];
    if (value !== undefined) return value.length >= 4 && !value.startsWith('--') ? [value] : [];
    return /^(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{4,12}$|^[A-Z]{5,12}$/.test(word) ? [word] : [];
  });
}
