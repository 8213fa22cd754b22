import { SvcClient } from '@svc/client';

const svc = SvcClient.fromEnvironment();
const store = () => svc.daemon.storeFact({ body: { entity: 'office', key: 'clock', value: String(Date.now()) } });
const ticking = setInterval(() => void store(), 500);
for await (const { event } of svc.followEvents()) if (event === 'fact.stored') break;
clearInterval(ticking);
console.log('fact.stored');
