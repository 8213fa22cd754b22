import type { OutboxEvent } from '../../../common/outbox/outbox.js';
import type { LayerPlace } from './layers.types.js';

interface LayerWrite {
  layer: string;
  version: number;
  factId: string | null;
  receiptId: string | null;
}

/** A change of a layer. Its receipt is that of the fact: it binds entity, key, content and version. */
export const layerEvent = (
  kind: 'layer.stored' | 'layer.cleared',
  { projectId, planeId }: LayerPlace,
  { receiptId, ...write }: LayerWrite,
  actor: string,
): OutboxEvent => ({
  kind,
  subject: planeId === undefined ? projectId : `${projectId}/${planeId}`,
  data: { projectId, planeId: planeId ?? null, ...write, receipt_id: receiptId, actor },
});
