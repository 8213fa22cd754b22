import { SvcClient } from '@svc/client';

const svc = SvcClient.fromEnvironment();
const { fact_id } = await svc.daemon.storeFact({ body: { entity: 'office', key: 'city', value: 'Lisbon' } });
console.log(await svc.daemon.readFact({ path: { factId: fact_id } }));
