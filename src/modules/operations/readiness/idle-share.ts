import { cpus } from 'node:os';

/** Which part of the machine's processor time nobody used. */
export class IdleShare {
  private last = processorTimes();

  /** Since it was last asked, from 0 to 1; 1 where the system does not say. */
  read(): number {
    const now = processorTimes();
    const all = now.all - this.last.all;
    const idle = now.idle - this.last.idle;
    this.last = now;
    return all > 0 ? idle / all : 1;
  }
}

function processorTimes(): { all: number; idle: number } {
  const times = cpus().map((processor) => processor.times);
  const sum = (of: (one: (typeof times)[number]) => number) => times.reduce((total, one) => total + of(one), 0);
  return {
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
    idle: sum(({ idle }) => idle),
  };
}
