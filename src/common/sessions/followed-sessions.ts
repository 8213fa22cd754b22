import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Listener } from '../database/listener.js';
import { LOG, type Log } from '../observability/log.js';
import { Unauthorized } from '../problem/common-problems.js';
import { SESSION_ENDED, SessionCheck } from './session-check.js';

/** Something that is open for a session, and ends with it. */
interface Followed {
  readonly id: string;
  readonly cookie: string | undefined;
  readonly end: () => void;
}

/** What is kept open for longer than a request ends with the session that asked for it, whichever process ends that. */
@Injectable()
export class FollowedSessions implements OnModuleDestroy {
  private readonly followed = new Set<Followed>();
  private readonly stops: (() => void)[];

  constructor(
    listener: Listener,
    private readonly sessions: SessionCheck,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.stops = [
      listener.on(SESSION_ENDED, (id) => this.followed.forEach((one) => one.id === id && one.end())),
      listener.onGap(() => this.followed.forEach((one) => this.endIfOver(one))),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /**
   * @param session of the caller; undefined where it has none, and then nothing is followed
   * @param cookie the Cookie header that it came with
   * @param end called once the session has ended, or its time is over; at once where that was already
   * @returns how to stop, which whoever is ended calls as well
   */
  follow(
    session: { id: string; expiresAt: Date } | undefined,
    cookie: string | undefined,
    end: () => void,
  ): () => void {
    if (!session) return () => undefined;
    const followed = { id: session.id, cookie, end };
    this.followed.add(followed);
    const timer = setTimeout(end, session.expiresAt.getTime() - Date.now()).unref();
    this.endIfOver(followed);
    return () => {
      clearTimeout(timer);
      this.followed.delete(followed);
    };
  }

  private endIfOver({ cookie, end }: Followed): void {
    this.sessions.find(cookie).then(
      (caller) => !caller && end(),
      (error: unknown) =>
        error instanceof Unauthorized ? end() : this.log.warn({ error }, 'a session could not be looked at'),
    );
  }
}
