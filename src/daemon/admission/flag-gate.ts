import type { FastifyReply } from 'fastify';
import type { DaemonFlag } from '../../common/config/daemon/flag.js';
import { DAEMON_FLAGS, type FlagName } from '../../common/config/daemon/flag-table.js';
import type { Settings } from '../../common/config/settings.js';
import { FlagOff, PlaneOff } from '../problems/daemon-problems.js';
import { matches } from '../route-auth/path-pattern.js';

type Flags = Settings['flags'];

const isOn = (flags: Flags, name: FlagName): boolean => flags[name] !== false && flags[name] !== 'off';

/** What the planes whose flag is off answer, before anything of the request is read (memory-daemon.md 4.12; A-12). */
export class FlagGate {
  private readonly off: DaemonFlag[];
  private readonly ofTemplates = new Map<string, DaemonFlag | undefined>();

  constructor(flags: Flags) {
    this.off = (Object.keys(DAEMON_FLAGS) as FlagName[])
      .filter((name) => !isOn(flags, name))
      .map((name) => DAEMON_FLAGS[name]);
  }

  /**
   * @param template of the route that the router found: what was sent may be spelt otherwise (`/v1/%63oord/active`)
   * @param path what was sent, where it found none
   * @returns whether the request is answered
   * @throws FlagOff, PlaneOff
   */
  answers(template: string | undefined, path: string, reply: FastifyReply): boolean {
    const flag = template === undefined ? this.flagOf(path) : this.flagOfTemplate(template);
    if (!flag) return false;
    const detail = `${flag.about} This is switched off; set ${flag.env}=${flag.on} and start the daemon again`;
    if (flag.off === 404) throw new FlagOff({ flag: flag.env }, detail);
    if (flag.off === 501) throw new PlaneOff({ flag: flag.env }, detail);
    void reply.status(200).send({ enabled: false, flag: flag.env, detail });
    return true;
  }

  private flagOfTemplate(template: string): DaemonFlag | undefined {
    if (!this.ofTemplates.has(template)) this.ofTemplates.set(template, this.flagOf(template));
    return this.ofTemplates.get(template);
  }

  private flagOf(path: string): DaemonFlag | undefined {
    return this.off.find(({ paths }) => paths.some((pattern) => matches(pattern, path)));
  }
}
