/** A country that a list is asked for: what can be none is refused before the service is asked. */
import { Failure } from '../../runtime/failure.js';

/** @throws Failure `usage` for what is not two letters */
export function requireCountry(text: string): void {
  if (/^[A-Za-z]{2}$/.test(text)) return;
  throw new Failure('usage', '--country must be two letters, for example --country VE. Nothing was sent.', {
    code: 'field_invalid',
    details: [{ field: 'country', code: 'invalid' }],
  });
}
