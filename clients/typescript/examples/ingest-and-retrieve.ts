import { SvcClient } from '@svc/client';

const svc = SvcClient.fromEnvironment();
const page = { title: 'Leave', content: 'Everyone has 28 days of leave.', url: 'https://intranet.example.com/leave' };
const { ingestId } = await svc.api.ingestDocument({
  body: { tenantId: svc.tenant, corpusId: 'handbook', docId: 'leave', ...page },
});
while ((await svc.api.readIngest({ path: { id: ingestId } })).status !== 'completed') await svc.wait(200);
console.log(await svc.api.retrievePassages({ body: { query: 'How many days of leave?' } }));
