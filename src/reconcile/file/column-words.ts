import type { Direction } from '../../contract/operation.js';
import { FILLER_WORDS, unaccented, nameWords } from '../../sheet/words.js';
import type { LedgerField } from './plan.js';

const WORDS: Readonly<Record<LedgerField, readonly string[]>> = {
  id: splitList('operation id, id operation, operation uuid, id operacion, id operacao, svc id, id'),
  reference: splitList(
    'reference, referencia, ref, client reference, customer reference, merchant reference, referencia cliente, referencia propia, external reference, referencia externa, referencia interna, payment reference, referencia pago, referencia pagamento, your reference, su referencia, sua referencia, end to end id, order id, invoice, factura, fatura',
  ),
  bank_reference: splitList(
    'bank reference, referencia bancaria, referencia banco, referencia bancario, ref banco, ref bancaria, bank ref, comprobante, comprovante, confirmacion bancaria, operacion bancaria',
  ),
  amount: splitList(
    'amount, importe, monto, valor, montante, quantia, transaction amount, importe operacion, importe movimiento, monto operacion, monto movimiento, monto transaccion, valor operacao, valor transacao, valor lancamento, gross amount',
  ),
  debit: splitList(
    'debit, debito, debe, cargo, debits, debitos, cargos, egreso, egresos, salida, salidas, saida, saidas, retiro, retiros, withdrawal, withdrawals, money out, paid out, debit amount, monto debito, importe debito, valor debito',
  ),
  credit: splitList(
    'credit, credito, haber, abono, credits, creditos, abonos, ingreso, ingresos, entrada, entradas, deposito, depositos, deposit, deposits, money in, paid in, credit amount, monto credito, importe credito, valor credito',
  ),
  direction: splitList(
    'direction, direccion, direcao, sentido, debit credit, credit debit, debito credito, credito debito, debe haber, d c, c d, dc, cd, d h, h d, dr cr, cr dr, signo, sinal, naturaleza, natureza, tipo movimiento, tipo movimento, tipo lancamento, type, tipo',
  ),
  currency: splitList(
    'currency, moneda, moeda, divisa, ccy, currency code, codigo moneda, codigo divisa, mon, curr, cur, div, cod moneda, cod mon, cod divisa, moneda operacion, moneda movimiento, moneda transaccion, moneda pago, moneda importe, moneda monto, moneda cuenta, divisa operacion, divisa importe, divisa cuenta, tipo moneda, transaction currency, payment currency, amount currency, account currency, iso currency, currency iso, moneda iso, simbolo, symbol',
  ),
  date: splitList(
    'date, fecha, data, payment date, fecha pago, data pagamento, transaction date, fecha operacion, fecha transaccion, fecha movimiento, data operacao, data transacao, data movimento, data lancamento, booking date, posting date, fecha contable, data contabil, value date, fecha valor, data valor, fecha hora, data hora, date time, confirmed at, occurred at, timestamp, dia',
  ),
  status: splitList(
    'status, estado, estatus, payment status, transaction status, operation status, estado pago, estado operacion, estado transaccion, estado movimiento, estado transferencia, estatus pago, estatus operacion, estatus transaccion, status pago, status operacion, status transaccion, status pagamento, status transacao, state, situacion, situacao, resultado, result, condicion, st, edo, est, anulado, anulada, rechazado, rechazada, reversado, reversada, devuelto, devuelta, cancelado, cancelada, void, voided, rejected, reversed, returned, cancelled, canceled, refunded, estornado, devolvido, pagado, pagada, paid, settled, procesado, procesada, processed, confirmado, confirmada, confirmed, aprobado, aprobada, approved, bloqueado, bloqueada, blocked, retenido, retenida, reembolsado, reembolsada, reembolso, reintegrado, reintegrada, reintegro, refund, chargeback, contracargo, anulacion, devolucion, rechazo, fecha anulacion, fecha devolucion, fecha rechazo, fecha reverso, motivo anulacion, motivo devolucion, motivo rechazo, causa rechazo, causa devolucion, rejection reason, reject reason, return reason, refund date, refund amount, refunded amount, importe devuelto, importe reembolsado, importe reintegrado, monto devuelto, monto reembolsado, monto reintegrado, codigo respuesta, response code',
  ),
};

const RANKS: ReadonlyMap<string, { readonly field: LedgerField; readonly rank: number }> = new Map(
  (Object.keys(WORDS) as LedgerField[]).flatMap((field) =>
    WORDS[field].map((word, rank) => [word, { field, rank }] as const),
  ),
);

const DIRECTION_WORDS: ReadonlyMap<string, Direction> = new Map([
  ...splitList(
    'payin, pay in, in, incoming, credit, cr, c, h, haber, abono, credito, ingreso, entrada, deposito, deposit, received, recibido, recebido, cobro, nc, nota credito, +',
  ).map((word) => [word, 'payin'] as const),
  ...splitList(
    'payout, pay out, out, outgoing, debit, dr, db, d, debe, cargo, debito, egreso, salida, saida, retiro, withdrawal, sent, enviado, pago, nd, nota debito, -',
  ).map((word) => [word, 'payout'] as const),
]);

export function splitList(words: string): readonly string[] {
  return words.split(', ');
}

export function meaningOf(name: string): { readonly field: LedgerField; readonly rank: number } | null {
  if (name.length > 60) return null;
  const plainName = unaccented(name)
    .replace(/[([].*$/, '')
    .replace(
      /(?:\b(?:en|in|em)\s+)?(?:\b(?:bs|us\$|u\$s|usd|ves|eur|brl|mxn|cop|ars|clp|pen|bob|gbp|dolar(?:es)?|dollars?|euros?|bolivar(?:es)?|pesos?)(?![a-z])|\p{Sc}).*$/u,
      '',
    );
  const words = nameWords(plainName).filter((word) => !FILLER_WORDS.has(word));
  return RANKS.get(words.join(' ')) ?? null;
}

const PARTIES = new Set(
  splitList(
    'beneficiary, beneficiario, beneficiaria, counterparty, contraparte, payee, payer, pagador, ordenante, originator, sender, remitente, receiver, receptor, recipient, destinatario, titular, holder, account holder, nombre, name, nombre beneficiario, beneficiary name, nombre cliente, customer name, customer, client, cliente, vendor, supplier, proveedor, merchant, comercio, empresa, company, favorecido, cedula, rif, cedula rif, documento, document, identificacion, tercero, razon social, paid to, from, to, payer name, payee name, nome, nombre titular, cuenta beneficiario, cuenta destino, cuenta origen',
  ),
);

export function isParty(name: string): boolean {
  if (name.length > 60) return false;
  const words = nameWords(unaccented(name).replace(/[([].*$/, ''));
  return PARTIES.has(words.filter((word) => !FILLER_WORDS.has(word)).join(' '));
}

export function directionWord(text: string): Direction | null {
  const word = unaccented(text.trim());
  const letters = word.split(/[^a-z]+/).filter((part) => part !== '' && !FILLER_WORDS.has(part));
  const forms = [word, letters.join(' '), word.replace(/[^a-z]+/g, '')];
  return forms.map((form) => DIRECTION_WORDS.get(form)).find((one) => one !== undefined) ?? null;
}
