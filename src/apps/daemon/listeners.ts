import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** Listeners other than HTTP, closed at the start of the drain: their calls go on through HTTP, which closes last. */
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
