/** Registers the url that receives a company's events; its secret is shown here and never again (section 6). */
import { isIP } from 'node:net';
import { webhookEndpoint } from '../../contract/body-fields.js';
import { detailsOf } from '../../contract/shape.js';
import { isoSeconds } from '../../runtime/clock.js';
import { reachOf } from '../../runtime/network.js';
import { readObject, type EndpointHandler } from './call.js';

const URL_MAX_CHARACTERS = 2048;
/** Names that clouds answer with what a machine may do. */
const METADATA = /^(?:metadata|instance-data)(?:\.[a-z.-]+)?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

export const registersWebhook: EndpointHandler = ({ world, company, request, nowMs }) => {
  const body = readObject(request.body);
  if ('refusal' in body) return body;
  const { url } = body.fields;
  const details = detailsOf(webhookEndpoint, body.fields);
  if (typeof url === 'string' && url !== '' && !isReceiver(url, world.allowHttpWebhooks)) {
    details.push({ field: 'url', code: 'invalid' });
  }
  if (typeof url !== 'string' || details.length > 0) {
    const isMissing = details.some(({ code }) => code === 'required');
    return { refusal: isMissing ? 'field_required' : 'field_invalid', details };
  }
  const { random, store } = world;
  const endpoint = {
    id: random.uuid(),
    url,
    secret: `whsec_${random.hex(24)}`,
    created_at: isoSeconds(nowMs),
  };
  store.webhooks.register(company.id, endpoint, nowMs);
  return JSON.stringify(endpoint);
};

/**
 * https, or http on loopback where that was allowed; no name and password, which deliveries would not carry. An address is written
 * as everybody writes it, and is this machine's or a public one: no private network, and no cloud's metadata.
 */
function isReceiver(url: string, allowsHttp: boolean): boolean {
  if (url.length > URL_MAX_CHARACTERS || !/^https?:\/\/[\x21-\x7e]+$/i.test(url) || !URL.canParse(url))
    return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '' || !isHost(hostname, url)) return false;
  return protocol === 'https:' || (allowsHttp && LOOPBACK.test(hostname));
}

/** Decimal, hexadecimal, octal and short forms of an address are read as one, and so is IPv4 inside IPv6. */
function isHost(hostname: string, url: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return !METADATA.test(hostname);
  if (
    !url
      .slice(url.indexOf('//') + 2)
      .toLowerCase()
      .startsWith(hostname)
  )
    return false;
  return !address.startsWith('::ffff:') && reachOf(address) !== 'forbidden';
}
