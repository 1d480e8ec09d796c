import { plainText } from '../../sheet/amount.js';
import { excerpt, unaccented } from '../../sheet/words.js';
import { splitList } from './column-words.js';
import type { PlannedColumn, StatusWords } from './plan.js';

const WORDS_MAX = 20;

type StatusRead =
  | { readonly kind: 'paid' }
  | { readonly kind: 'unpaid'; readonly why: string }
  | { readonly kind: 'unknown'; readonly problem: string };

const PAID: StatusRead = { kind: 'paid' };

export class Statuses {
  readonly #column: PlannedColumn | null;
  readonly #unpaid = new Set<string>();
  readonly #cache = new Map<string, PaymentStatus | null>();

  constructor(
    columns: readonly PlannedColumn[],
    private readonly words: StatusWords,
    private readonly ignored: readonly PlannedColumn[],
  ) {
    this.#column = columns.find(({ field }) => field === 'status') ?? null;
  }

  get unpaid(): readonly string[] {
    return [...this.#unpaid];
  }

  read(cells: readonly string[]): StatusRead {
    const column = this.#column;
    const status = column === null ? 'paid' : this.#statusIn(cells, column);
    if (column !== null && status === null) {
      const how = 'in --map say paid=WORD or unpaid=WORD, several as WORD|WORD, or leave status out';
      const problem = `${cellText(cells, column)}, which says neither paid nor not paid: ${how}`;
      return { kind: 'unknown', problem };
    }
    if (column !== null && status === 'unpaid') {
      if (this.#unpaid.size < WORDS_MAX) this.#unpaid.add(plainText(cells[column.index] ?? ''));
      return { kind: 'unpaid', why: `${cellText(cells, column)}: not paid` };
    }
    for (const other of this.ignored) {
      if (this.#statusIn(cells, other) !== 'unpaid') continue;
      const how = 'say status=COLUMN in --map, and paid=WORD where such lines were paid';
      return { kind: 'unknown', problem: `${cellText(cells, other)}, and is not looked at: ${how}` };
    }
    return PAID;
  }

  #statusIn(cells: readonly string[], { index, name }: PlannedColumn): PaymentStatus | null {
    const cell = cells[index] ?? '';
    const key = `${String(index)} ${cell}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const status = statusOf(plainText(cell), this.words, meaningOfYes(name));
    if (this.#cache.size < WORDS_MAX) this.#cache.set(key, status);
    return status;
  }
}

function cellText(cells: readonly string[], { index, name }: PlannedColumn): string {
  const column = JSON.stringify(name === '' ? `column ${String(index + 1)}` : name);
  return `${column} says ${excerpt(plainText(cells[index] ?? ''))}`;
}

type PaymentStatus = 'paid' | 'unpaid';

export const NO_WORDS: StatusWords = { paid: [], unpaid: [] };

/** Paid only if the whole status is one of these: `pagado y devuelto` is not paid. */
const PAID_WORDS = new Set(
  splitList(
    'paid, pagado, pagada, pago, paga, ok, si, yes, success, successful, succeeded, exitoso, exitosa, exito, con exito, sucesso, com sucesso, complete, completed, completado, completada, completo, completa, confirmed, confirmado, confirmada, approved, aprobado, aprobada, aprovado, aprovada, processed, procesado, procesada, processado, processada, executed, ejecutado, ejecutada, executado, executada, settled, liquidado, liquidada, cleared, compensado, compensada, posted, booked, contabilizado, contabilizada, asentado, asentada, applied, aplicado, aplicada, credited, acreditado, acreditada, creditado, creditada, abonado, abonada, debitado, debitada, cobrado, cobrada, done, finished, finalizado, finalizada, concluido, concluida, realizado, realizada, efectuado, efectuada, efetuado, efetuada, efetivado, efetivada, efectivo, conciliado, conciliada, operacion exitosa, transaccion exitosa, pago exitoso, pago procesado, transferencia exitosa',
  ),
);
const UNPAID_WORDS = new Set(
  splitList(
    'void, voided, annulled, anulado, anulada, anul, anulacion, nulo, nula, cancelled, canceled, cancelado, cancelada, cancelacion, rejected, reject, rechazado, rechazada, rechazo, rech, rejeitado, rejeitada, recusado, recusada, declined, declinado, declinada, denied, denegado, denegada, negado, negada, failed, failure, fail, fallido, fallida, fallo, fallado, falhou, falha, error, erro, erroneo, reversed, reversal, reverse, reverted, reversado, reversada, reverso, reversion, revertido, revertida, estornado, estornada, estorno, extornado, extornada, extorno, returned, return, devuelto, devuelta, devolucion, devolvido, devolvida, refunded, refund, reembolsado, reembolsada, reembolso, reintegrado, reintegrada, reintegro, chargeback, contracargo, disputed, bounced, rebotado, rebotada, deleted, eliminado, eliminada, borrado, borrada, invalid, invalido, invalida, expired, expirado, expirada, vencido, vencida, caducado, caducada, pending, pendiente, pendente, processing, proceso, processamento, transito, scheduled, programado, programada, agendado, agendada, diferido, diferida, retenido, retenida, blocked, bloqueado, bloqueada, suspendido, suspendida, hold, unpaid, unsuccessful, impagado, impagada, impago',
  ),
);
/** Beside a denial, an unpaid word may mean the contrary, as in `no anulado`. */
const DENIALS = new Set(splitList('no, not, non, nao, sin, sem, without, never, nunca, ni'));
const WHOLE_UNPAID = new Set(
  splitList(
    'no, not paid, no pagado, no pagada, no procesado, no procesada, no exitoso, no exitosa, no aprobado, no aprobada, no aplicado, no aplicada, no ejecutado, no ejecutada, no confirmado, no confirmada, no conciliado, no conciliada, sin efecto, sin procesar, sin exito, por procesar, por aprobar, por pagar, en espera, em espera, en curso, on hold, in progress, nao pago, nao processado, to be paid',
  ),
);

function statusOf(text: string, words: StatusWords, yesStatus: PaymentStatus | null): PaymentStatus | null {
  const word = foldWord(text);
  if (words.unpaid.some((one) => foldWord(one) === word)) return 'unpaid';
  if (words.paid.some((one) => foldWord(one) === word)) return 'paid';
  if (yesStatus !== null && YES.has(word)) return yesStatus;
  if (yesStatus !== null && NO.test(word)) return yesStatus === 'paid' ? 'unpaid' : 'paid';
  if (word === '' || PAID_WORDS.has(word)) return 'paid';
  if (WHOLE_UNPAID.has(word)) return 'unpaid';
  const parts = word.split(' ');
  if (parts.some((part) => DENIALS.has(part))) return null;
  return parts.some((part) => UNPAID_WORDS.has(part)) ? 'unpaid' : null;
}

const YES = new Set(splitList('si, s, yes, y, x, true, verdadero, v, 1, sim'));
const NO = /^(?:no|n|false|falso|f|nao|0[0 ]*)$/;

function meaningOfYes(name: string): PaymentStatus | null {
  const word = foldWord(name);
  if (word.split(' ').some((part) => UNPAID_WORDS.has(part))) return 'unpaid';
  return PAID_WORDS.has(word) ? 'paid' : null;
}

function foldWord(text: string): string {
  const plain = unaccented(text).trim();
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || plain;
}
