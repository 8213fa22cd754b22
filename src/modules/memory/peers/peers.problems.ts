import { problem } from '../../../common/problem/problem.js';

export class PeerNotFound extends problem<{ peer_id: string }>(404, 'PeerNotFound', 'There is no such peer') {}

/** Its key, or its id, is that of another one. */
export class PeerTaken extends problem<{ peer_id: string; keyid: string }>(
  409,
  'PeerTaken',
  'There is a peer of that name or key',
) {}

/** It was added without url, so that it asks and is never asked. */
export class PeerWithoutAddress extends problem<{ peer_id: string }>(
  409,
  'PeerWithoutAddress',
  'The peer has no address',
) {}
