/** The types of the few undici modules that are imported one by one: its index loads fetch, WebSocket and mocks too, at twice the cost. */

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}
