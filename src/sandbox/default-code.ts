/** The one code that confirms a pay-in in the sandbox, unless a server was started with another. */
export const DEFAULT_CODE = '123456';
