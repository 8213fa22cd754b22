import { itemsOf, SvcClient } from '@svc/client';

const svc = SvcClient.fromEnvironment();
const ask = (cursor?: string) => svc.api.listDocuments({ query: { limit: 1, ...(cursor && { cursor }) } });
for await (const { docId } of itemsOf(ask, (page) => page.documents)) console.log(docId);
