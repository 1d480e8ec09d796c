/** The shop as a program: it listens for deliveries, and returns the state of each order. */
import { Shop } from './shop.js';

const { SVC_SANDBOX_URL = '', SVC_API_KEY = '', WEBHOOK_SECRETS = '', PORT = '3000' } = process.env;
const secrets = WEBHOOK_SECRETS.split(' ').filter(Boolean);
if (secrets.length === 0) throw new Error('WEBHOOK_SECRETS is empty');

new Shop({ serviceUrl: SVC_SANDBOX_URL, apiKey: SVC_API_KEY }, secrets)
  .server()
  .listen(Number(PORT), '127.0.0.1');
