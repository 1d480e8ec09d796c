import { CLIENT_FAULTS } from './client/faults.js';
import { RECEIVER_CASES } from './receiver/cases.js';
import { CLIENT_RULES } from './client/judge.js';
import type { GlobalFlags } from '../command/command.js';
import { printerOfAnything } from '../command/printer.js';
import type { Ports } from '../runtime/ports.js';

export async function listCases(ports: Ports, flags: GlobalFlags, exam: string | undefined): Promise<void> {
  const printer = await printerOfAnything(ports, flags, 'cases', {
    columns: ['id', 'exam', 'severity', 'section', 'title'],
  });
  const rows = Object.entries(EXAMS).flatMap(([name, cases]) =>
    exam === undefined || name === exam
      ? cases.map(({ id, severity, section, title }) => ({ id, exam: name, severity, section, title }))
      : [],
  );
  await printer.answer(Buffer.from(JSON.stringify(printer.mode === 'json' ? rows : { cases: rows })));
}

const EXAMS = { receiver: RECEIVER_CASES, client: [...CLIENT_FAULTS, ...CLIENT_RULES] };
