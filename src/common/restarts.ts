/** Whether this process can be started again by whoever started it, and how it is asked for. */
export class Restarts {
  /** @param restart drains the process and ends it; undefined where no supervisor starts it again */
  constructor(private readonly restart: (() => void) | undefined) {}

  get isSupervised(): boolean {
    return this.restart !== undefined;
  }

  /** What is in flight is answered first. @throws Error without a supervisor */
  request(): void {
    if (!this.restart) throw new Error('no supervisor starts this process again');
    this.restart();
  }
}
