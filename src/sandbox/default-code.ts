/** The default code that confirms a pay-in in the sandbox; a server can start with another one. */
export const DEFAULT_CODE = '123456';
