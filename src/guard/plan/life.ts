/** How long a plan may be sent, where nobody says it: a policy may allow less or more. */
export const VALID_FOR_DEFAULT = '72h';
