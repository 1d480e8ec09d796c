/** The rules of the client's exam, each with its severity and its section of the contract. Data. */
import type { Severity } from '../report.js';

const rule =
  (severity: Severity, section: string) =>
  <const Id extends string>(id: Id, title: string) =>
    ({ id, severity, section, title }) as const;

/** Broken rules are listed in this order, but first comes the rule that explains the others. */
export const CLIENT_RULES = [
  rule('must', '4')('same-body', 'a key comes with one body only'),
  rule('must', '4')('same-key', 'a payment that may have been made is repeated with the same key'),
  rule('must', '4')(
    'look-first',
    'confirm, resend and cancel are repeated only after a look at the operation',
  ),
  rule('must', '4')('paid-once', 'no payment is made more often than in a clean run'),
  rule('must', '5, 7')('no-repeat-4xx', 'a refused request is not sent again unchanged'),
  rule('must', '3, 8')(
    'code-once',
    'a code, resend or cancel that the operation no longer waits for is not sent again',
  ),
  rule('must', '1')('says-done', 'the command ends with 0 only if every payment was made'),
  rule('should', '1, 7')('says-done-failed', 'the command does not end with 0 if a payment failed'),
  rule('should', '4')('same-bytes', 'a request is repeated with the same bytes'),
  rule('should', '4')('retry-after', 'a request is not repeated before Retry-After'),
  rule('must', '')('ends', 'the command ends, and does not flood the service'),
  rule('should', '9')('tolerant', 'unknown members, and deliveries in any order, do no harm'),
] as const;

export type ClientRule = (typeof CLIENT_RULES)[number]['id'];
