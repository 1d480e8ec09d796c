import type { GlobalFlags } from '../command/command.js';
import { readerFor } from '../command/line/terminal.js';
import { openPrinter, type Printer } from '../command/printer.js';
import type { Ports } from '../runtime/ports.js';

export function printerOfBatch(ports: Ports, flags: GlobalFlags): Promise<Printer> {
  return openPrinter(ports, flags, {
    table: async (body, nowMs) => {
      const { renderBatch } = await import('./view.js');
      return renderBatch(body, await readerFor(ports, flags, nowMs));
    },
  });
}
