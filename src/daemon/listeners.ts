import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** The listeners beside HTTP, ended at the beginning of the drain: what they were called for goes on through HTTP, which ends last. */
@Injectable()
export class Listeners implements BeforeApplicationShutdown {
  private readonly open: { close: () => Promise<void> }[] = [];

  add<L extends { close: () => Promise<void> }>(listener: L): L {
    this.open.push(listener);
    return listener;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.open.map((listener) => listener.close()));
  }
}
