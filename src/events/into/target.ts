import { usageFailure } from '../../runtime/failure.js';
import { type StateParts, type StatePlace, readTypedPlace } from '../../storage/postgres/place.js';

export type IntoTarget =
  | { readonly kind: 'postgres'; readonly place: StatePlace }
  | { readonly kind: 'sqlite'; readonly file: string };

const INTO_FLAG = '--into';
const DEFAULT_SCHEMA = 'public';

export function readInto(text: string, parts: Omit<StateParts, 'storedPassword'>): IntoTarget {
  const [, file] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (file !== undefined) {
    if (file !== '' && !file.startsWith(':') && !file.startsWith('//') && !/\p{Cc}/u.test(file))
      return { kind: 'sqlite', file };
    const [, path = 'events.db'] = /^\/\/(\/[^:?#\p{Cc}]+)$/u.exec(file) ?? [];
    throw usageFailure(`${INTO_FLAG} sqlite:FILE needs the path of a file, for example sqlite:${path}.`);
  }
  if (/^postgres(ql)?:/i.test(text)) {
    const password = { variable: 'SVC_INTO_PASSWORD', whose: INTO_FLAG };
    return {
      kind: 'postgres',
      place: readTypedPlace(text, INTO_FLAG, DEFAULT_SCHEMA, { ...parts, password }),
    };
  }
  const [, path] = /^(?:sqlite3:|file:)?(?:\/\/(?=\/))?([^:?#]+\.(?:db|sqlite|sqlite3))$/i.exec(text) ?? [];
  const hint = path === undefined ? '.' : `: sqlite:${path} here.`;
  throw usageFailure(`${INTO_FLAG} must be postgres://USER@HOST/DATABASE or sqlite:FILE${hint}`);
}
