/** Variables that hold a secret themselves: they are taken out of the environment as soon as they are read, and no program that is started gets them. */
export const SECRET_VARIABLES: readonly string[] = [
  'SVC_API_KEY',
  'SVC_WEBHOOK_SECRET',
  'SVC_STATE',
  'SVC_STATE_PASSWORD',
  'SVC_INTO_PASSWORD',
];
