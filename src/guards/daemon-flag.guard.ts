import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DaemonFlag } from '../common/config/daemon/flag.js';
import { isFlagOn } from '../common/config/daemon/flag-state.js';
import { DAEMON_FLAGS, type DaemonFlagName } from '../common/config/daemon/flag-table.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { reportOff } from '../common/contract/plane-reported-off.js';
import { FlagOff, PlaneOff } from '../common/problem/daemon-problems.js';
import { matches } from '../common/route-auth/path-pattern.js';

/**
 * What the planes whose flag is off answer, before anything of the request is read (memory-daemon.md 4.12; A-12).
 * It goes by the address: of a plane that is not built there is no route.
 */
@Injectable()
export class DaemonFlagGuard implements CanActivate {
  private readonly off: DaemonFlag[];
  private readonly ofTemplates = new Map<string, DaemonFlag | undefined>();

  constructor(@Inject(SETTINGS) { flags }: Settings) {
    this.off = flagsOff(flags);
  }

  /** @throws FlagOff, PlaneOff */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const flag = this.findFor(http.getRequest<FastifyRequest>());
    if (!flag) return true;
    const objection = flagObjection(flag);
    if (objection) throw objection;
    void http
      .getResponse<FastifyReply>()
      .status(200)
      .send(reportOff(flag.env, detailOf(flag)));
    return true;
  }

  /** By the route that the router found, since what was sent may be spelt otherwise (`/v1/%63oord/active`). */
  private findFor({ is404, routeOptions, url }: FastifyRequest): DaemonFlag | undefined {
    const template = is404 ? undefined : routeOptions.url;
    if (template === undefined) return this.findForPath(url.split('?', 1)[0]!);
    if (!this.ofTemplates.has(template)) this.ofTemplates.set(template, this.findForPath(template));
    return this.ofTemplates.get(template);
  }

  private findForPath(path: string): DaemonFlag | undefined {
    return flagAt(this.off, path);
  }
}

/** The flags that are off and close what they stand for. */
export const flagsOff = (flags: Settings['flags']): DaemonFlag[] =>
  (Object.keys(DAEMON_FLAGS) as DaemonFlagName[])
    .filter((name) => !isFlagOn(flags, name))
    .map((name) => DAEMON_FLAGS[name])
    .filter(({ off }) => off !== 'by route');

export const flagAt = (flags: readonly DaemonFlag[], path: string): DaemonFlag | undefined =>
  flags.find(({ paths }) => paths.some((pattern) => matches(pattern, path)));

/** What an address is refused with while its flag is off; undefined where that is reported with 200. */
export function flagObjection(flag: DaemonFlag): FlagOff | PlaneOff | undefined {
  if (flag.off === 404) return new FlagOff({ flag: flag.env }, detailOf(flag));
  return flag.off === 501 ? new PlaneOff({ flag: flag.env }, detailOf(flag)) : undefined;
}

const detailOf = (flag: DaemonFlag): string =>
  `${flag.about} This is switched off; set ${flag.env}=${flag.on} and start the daemon again`;
