declare module 'jq-web' {
  const jq: Promise<{
    readonly raw: (json: string, filter: string, flags?: readonly string[]) => string | undefined;
  }>;
  export = jq;
}
