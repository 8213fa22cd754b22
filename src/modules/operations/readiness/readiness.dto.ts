import { Choice, Flag, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { GATE_NAMES, type GateName } from './readiness.types.js';

export class GateCheck {
  @Choice({ about: 'The gate.', values: GATE_NAMES })
  gate!: GateName;

  @Flag({ about: 'Whether it holds.' })
  ok!: boolean;

  @Text({ about: 'What was seen; of a gate that fails, what is wrong and what to do.' })
  detail!: string;

  @TextList({ about: 'Some of the ids concerned.', optional: true })
  samples?: string[];
}

export class RoutingDetail {
  @Text({ about: 'The shard of this daemon.', example: 'main' })
  local_shard!: string;

  @Text({ about: 'The shard of tenants that the map does not name.', example: 'main' })
  default_shard!: string;

  @Integer({ about: 'Tenants that the map names.' })
  tenants!: number;

  @Choice({ about: 'Where the map is from: SVCD_SHARD_MAP_FILE, or one shard for all.', values: ['built in', 'file'] })
  source!: 'built in' | 'file';
}

export class CommitDetail {
  @Choice({ about: 'SVCD_COMMIT_MODE.', values: ['local', 'replicated'] })
  mode!: 'local' | 'replicated';
}

export class ValveDetail {
  @Integer({ about: 'Requests that are worked on at once before more are answered 503; 0: no bound.' })
  max_inflight!: number;

  @Integer({ about: 'Requests a second that a client address may make; 0: no limit.' })
  rate_limit_rps!: number;

  @Integer({ about: 'Requests that a client address may make at once after a pause.' })
  rate_limit_burst!: number;
}

export class Readiness {
  @Choice({ about: 'Whether requests should be sent here.', values: ['ready', 'not_ready'] })
  status!: 'ready' | 'not_ready';

  @Text({
    about: 'Why it is not ready, when that is no gate. Left out under SVCD_PUBLIC_PROBES_MINIMAL=1.',
    example: 'shutting down',
    optional: true,
  })
  reason?: string;

  @ListOf({
    about: 'The nine gates, always all and in this order. Left out under SVCD_PUBLIC_PROBES_MINIMAL=1.',
    optional: true,
    type: () => GateCheck,
  })
  checks?: GateCheck[];

  @Nested({
    about: 'Which shard tenants are on; missing while the map did not load, or under SVCD_PUBLIC_PROBES_MINIMAL=1.',
    optional: true,
    type: () => RoutingDetail,
  })
  routing?: RoutingDetail;

  @Nested({
    about: 'How commits are made. Left out under SVCD_PUBLIC_PROBES_MINIMAL=1.',
    optional: true,
    type: () => CommitDetail,
  })
  commit?: CommitDetail;

  @Nested({
    about: 'How many requests are let in. Left out under SVCD_PUBLIC_PROBES_MINIMAL=1.',
    optional: true,
    type: () => ValveDetail,
  })
  valve?: ValveDetail;
}
