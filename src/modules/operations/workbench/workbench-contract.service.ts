import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { counted, judge } from './judgement.rules.js';
import type { Finding } from './workbench.types.js';
import type { WorkbenchContract, WorkbenchRoute } from './workbench.dto.js';

const TAG = 'workbench';

/** What the workbench offers here: made of the declarations of its routes. */
@Injectable()
export class WorkbenchContractService {
  private readonly enabled: ReadonlySet<string>;

  constructor(
    private readonly manifest: RouteManifest,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.enabled = new Set(daemon.proServices);
  }

  read(): WorkbenchContract {
    const declared = this.manifest.routes.filter(({ tag }) => tag === TAG);
    const routes = declared.map(({ address, summary, service, access }): WorkbenchRoute => ({
      ...{ route: address, what: summary, service: service ?? null },
      scopes: access.kind === 'scopes' ? [...access.scopes] : [],
      enabled: service === undefined || this.enabled.has(service),
    }));
    const off = [...new Set(routes.flatMap(({ service, enabled }) => (service === null || enabled ? [] : [service])))];
    const open = routes.filter(({ enabled }) => enabled).length;
    return {
      schema: 'svc.workbench.contract/1',
      routes,
      ...judge(off.map(serviceOff), `${counted(open, 'route')} of ${routes.length} enabled`),
    };
  }
}

const serviceOff = (service: string): Finding => ({
  ...{ id: 'contract.service_off', severity: 'info', subject: service, evidence: [] },
  fix: `Add ${service} to SVCD_ENABLED_PRO_SERVICES and start the daemon again; until then its routes answer 402`,
});
