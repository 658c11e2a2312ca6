// SPDX-License-Identifier: MIT
#pragma once

double pace();
