import type { Severity } from '../report/report.js';

const caseOf =
  (severity: Severity, section: string) =>
  <const Id extends string>(id: Id, title: string) =>
    ({ id, severity, section, title }) as const;

const good = caseOf('must', '6');
const bytes = caseOf('must', '6 (1), 8');
const rotation = caseOf('must', '6 (3)');
const time = caseOf('must', '6 (2)');
const forged = caseOf('must', '6 (3)');
const twice = caseOf('must', '6 (5)');
const unknown = caseOf('should', '6, 9');
const alive = caseOf('must', '6');

export const RECEIVER_CASES = [
  good('good.payin.confirmed', 'a delivery of payin.confirmed is accepted, and changes the probe'),
  good('good.payin.failed', 'a delivery of payin.failed is accepted'),
  good('good.payout.confirmed', 'a delivery of payout.confirmed is accepted'),
  good('good.payout.failed', 'a delivery of payout.failed is accepted'),

  bytes('bytes.spaces', 'JSON with tabs, spaces and line ends is accepted: the raw bytes are signed'),
  bytes('bytes.escapes', 'JSON with characters as escapes is accepted'),
  bytes('bytes.order', 'JSON with its members in another order is accepted'),
  bytes('bytes.numbers', 'JSON with numbers in an unusual form is accepted'),
  bytes('bytes.unicode', 'text beyond Latin-1 is accepted'),
  bytes('bytes.metadata', 'metadata of 4 KB is accepted'),

  rotation('rotation.first', 'two signatures, of which the first is valid, are accepted'),
  rotation('rotation.second', 'two signatures, of which the second is valid, are accepted'),

  time('time.old-290', 'a delivery signed 290 s ago is accepted'),
  time('time.ahead-290', 'a delivery signed 290 s ahead is accepted'),
  time('time.old-310', 'a delivery signed 310 s ago is refused'),
  time('time.ahead-310', 'a delivery signed 310 s ahead is refused'),
  time('time.none', 'a delivery without X-Timestamp is refused'),
  time('time.malformed', 'a delivery with the timestamp NaN, correctly signed, is refused'),

  forged('forged.byte', 'a delivery with one byte changed is refused'),
  forged('forged.secret', 'a delivery signed with another secret is refused'),
  forged('forged.other-time', 'a delivery whose timestamp is not the signed one is refused'),
  forged('forged.key-is-empty', 'a delivery signed with an empty key is refused'),
  forged('forged.none', 'a delivery without X-Firma is refused'),
  forged('forged.empty', 'a delivery with an empty X-Firma is refused'),
  forged('forged.prefix', 'the first nine digits of the right signature are refused'),
  forged('forged.malformed-word', 'a word in place of the signature is refused'),
  forged('forged.malformed-bare', 'v1= without digits is refused'),
  forged('forged.malformed-nohex', 'a signature that is not hexadecimal is refused'),
  forged('forged.malformed-short', 'a signature of one byte is refused'),
  forged('forged.malformed-long', 'a signature of 6 KB is refused'),
  forged('forged.malformed-latin', 'a signature in Latin-1 is refused'),
  forged('forged.malformed-list', '200 wrong signatures are refused'),
  good('forged.header-type', 'a valid signature with a false X-Evento: the type in the body counts'),
  good('forged.header-id', 'a valid signature with a false X-Id-Evento: the id in the body counts'),
  caseOf('should', '6')('forged.answered-4xx', 'a delivery that must be refused is answered 4xx, not 5xx'),

  twice('twice.row', 'the same event is accepted again later, and has its effect once'),
  twice('twice.at-once', 'five copies at the same time have their effect once, eight times'),
  twice('twice.cut', 'an event whose first answer was lost comes again and has its effect once'),
  caseOf('must', '6')('ping', 'test.ping is accepted and has no effect'),

  caseOf('should', '6')('unknown.type', 'a type that the receiver does not know is accepted'),
  unknown('unknown.members', 'members that the receiver does not know are accepted'),
  caseOf('should', '6')('unknown.operation', 'an operation that the receiver does not know is accepted'),

  caseOf('must', '6, 8')('load.20', '20 events at the same time are accepted within 10 s'),

  alive('alive.get', 'a good delivery is accepted after a GET'),
  alive('alive.empty', 'a good delivery is accepted after an empty POST'),
  caseOf('should', '6')('alive.nojson', 'a good delivery is accepted after signed bytes that are not JSON'),
] as const;

export type ReceiverCaseId = (typeof RECEIVER_CASES)[number]['id'];

/** Other cases are examined only if this delivery is accepted, because a receiver that refuses everything would pass half of them. */
export const RECEIVER_GATE = 'good.payin.confirmed' satisfies ReceiverCaseId;

/** If `cause` fails, cases whose ids begin with a text of `explained` fail for the same reason. */
export const EXPLANATIONS: readonly (readonly [cause: ReceiverCaseId, explained: readonly string[]])[] = [
  ['forged.secret', ['forged.', 'time.old-310', 'time.ahead-310', 'time.none', 'time.malformed']],
  ['time.old-310', ['time.ahead-310', 'time.malformed', 'time.none']],
  ['twice.row', ['twice.', 'forged.header-id']],
  ['ping', ['forged.header-type']],
  ['rotation.first', ['rotation.second']],
  ['bytes.spaces', ['bytes.escapes', 'bytes.numbers']],
  ['bytes.unicode', ['bytes.metadata']],
  ['time.old-290', ['time.ahead-290']],
];
