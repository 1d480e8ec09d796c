/** Puts the page into the document. */
import { render } from 'preact';

const place = document.getElementById('page');
if (place !== null) render(<h1>svc sandbox</h1>, place);
