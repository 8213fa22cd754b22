import { problem } from '../../../common/problem/problem.js';
import type { PeerLogState } from './peer-logs.types.js';

/** No peer that is known here has such a log, or a log of this name is not cosigned. */
export class PeerLogUnknown extends problem<{ origin?: string; peer_id?: string }>(
  404,
  'PeerLogUnknown',
  'There is no such log here',
) {}

/** No key that is trusted for the log signed it. */
export class PeerLogKeyUnknown extends problem<{ origin: string }>(
  403,
  'PeerLogKeyUnknown',
  'The checkpoint is not signed by a key of its log',
) {}

/** It cannot be read, or its sizes make no sense. */
export class CheckpointMalformed extends problem(400, 'CheckpointMalformed', 'The checkpoint cannot be read') {}

/** It does not extend what was seen, or the log is not in order. */
export class CheckpointRefused extends problem<{ origin: string }>(
  422,
  'CheckpointRefused',
  'The checkpoint is not cosigned',
) {}

/** The log of a peer was found not to only grow: nothing is exchanged with the peer until an operator clears it. */
export class PeerLogStopped extends problem<{
  peer_id: string;
  origin: string | null;
  state: PeerLogState;
  since: string | null;
}>(409, 'PeerLogStopped', 'The log of the peer is not in order') {}

/** Somebody else looked at it meanwhile. */
export class PeerLogBusy extends problem<{ origin: string }>(
  409,
  'PeerLogBusy',
  'The log was looked at by somebody else meanwhile',
  true,
) {}

/** The peer does not answer, or what it answers cannot be read. */
export class PeerUnreachable extends problem<{ peer_id: string }>(
  502,
  'PeerUnreachable',
  'The peer does not show its log',
  true,
) {}
