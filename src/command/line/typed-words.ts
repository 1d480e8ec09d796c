/** The words go before `--`, because words behind it are never flags of svc. */
export function withFlags(typed: readonly string[], words: readonly string[]): string[] {
  const end = typed.indexOf('--');
  const at = end === -1 ? typed.length : end;
  return [...typed.slice(0, at), ...words, ...typed.slice(at)];
}

export function withoutFlags(typed: readonly string[], names: readonly string[]): string[] {
  const end = typed.indexOf('--');
  return typed.filter((word, at) => {
    if (end !== -1 && at >= end) return true;
    const isFlag = (word: string | undefined): boolean => word !== undefined && names.includes(word);
    return !isFlag(word) && !isFlag(typed[at - 1]) && !names.some((name) => word.startsWith(`${name}=`));
  });
}

export function codesIn(argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const value = argv[at - 1] === '--code' ? word : /^--code=(.*)$/s.exec(word)?.[1];
    if (value !== undefined) return value.length >= 4 && !value.startsWith('--') ? [value] : [];
    return /^(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{4,12}$|^[A-Z]{5,12}$/.test(word) ? [word] : [];
  });
}
