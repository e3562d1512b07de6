// Tenon as it was at another commit: `npm run bench -- against` lays that build out as the package `tenon-before`.
import { tenonPeer } from './tenon.mjs';

export default tenonPeer('tenon-before', 'Tenon before');
