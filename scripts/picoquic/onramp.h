/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Onramp's start-ups as congestion controls of picoquic (onramp.c). */
#ifndef ONRAMP_PICOQUIC_H
#define ONRAMP_PICOQUIC_H

#include "picoquic.h"

/* Register picoquic's own congestion controls, and Onramp's: `onramp` and `onramp_NAME`. */
void onramp_picoquic_register(void);

/* Print how the start-up of a connection's first path went, if it is one of Onramp's. */
void onramp_picoquic_print(picoquic_cnx_t *cnx);

#endif
