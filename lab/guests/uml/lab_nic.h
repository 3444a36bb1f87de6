/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a NIC of the Sparkloom lab has beyond a vector device of user-mode Linux: a speed that ethtool shows and
 * sets, a carrier that `ip link set … carrier` turns off and on, FEC, a module's EEPROM, and the files of a PCIe link.
 * All of it is a stand-in that the lab sets from outside; frames move as before.
 *
 * Included by arch/um/drivers/vector_kern.c; lab/guests/uml/kernel.py puts the calls in place.
 */
#include <linux/device.h>
#include <linux/sfp.h>

#define LAB_NICS 16

struct lab_nic {
	u32 speed;		/* Mb/s */
	u32 fec;		/* ETHTOOL_FEC_* in use */
	u32 width;		/* lanes of the PCIe link */
	u8 eeprom[ETH_MODULE_SFF_8636_LEN];
};

static struct lab_nic lab_nics[LAB_NICS];

static struct lab_nic *lab_nic(struct net_device *dev)
{
	struct vector_private *vp = netdev_priv(dev);

	return &lab_nics[vp->unit % LAB_NICS];
}

static int lab_get_link_ksettings(struct net_device *dev,
				  struct ethtool_link_ksettings *cmd)
{
	ethtool_link_ksettings_zero_link_mode(cmd, supported);
	ethtool_link_ksettings_zero_link_mode(cmd, advertising);
	ethtool_link_ksettings_add_link_mode(cmd, supported, FIBRE);
	ethtool_link_ksettings_add_link_mode(cmd, supported, FEC_RS);
	ethtool_link_ksettings_add_link_mode(cmd, supported, 200000baseCR4_Full);
	ethtool_link_ksettings_add_link_mode(cmd, supported, 100000baseCR4_Full);
	ethtool_link_ksettings_add_link_mode(cmd, supported, 50000baseCR2_Full);
	cmd->base.speed = netif_carrier_ok(dev) ? lab_nic(dev)->speed : SPEED_UNKNOWN;
	cmd->base.duplex = DUPLEX_FULL;
	cmd->base.port = PORT_DA;
	cmd->base.autoneg = AUTONEG_DISABLE;
	return 0;
}

static int lab_set_link_ksettings(struct net_device *dev,
				  const struct ethtool_link_ksettings *cmd)
{
	lab_nic(dev)->speed = cmd->base.speed;
	return 0;
}

static int lab_get_fecparam(struct net_device *dev, struct ethtool_fecparam *f)
{
	f->fec = ETHTOOL_FEC_AUTO | ETHTOOL_FEC_RS | ETHTOOL_FEC_OFF;
	f->active_fec = lab_nic(dev)->fec;
	return 0;
}

static int lab_set_fecparam(struct net_device *dev, struct ethtool_fecparam *f)
{
	lab_nic(dev)->fec = f->fec & ETHTOOL_FEC_RS ? ETHTOOL_FEC_RS : f->fec;
	return 0;
}

static int lab_get_module_info(struct net_device *dev, struct ethtool_modinfo *info)
{
	if (!lab_nic(dev)->eeprom[0])
		return -EOPNOTSUPP;
	info->type = ETH_MODULE_SFF_8636;
	info->eeprom_len = ETH_MODULE_SFF_8636_LEN;
	return 0;
}

static int lab_get_module_eeprom(struct net_device *dev,
				 struct ethtool_eeprom *wanted, u8 *data)
{
	if (wanted->offset + wanted->len > ETH_MODULE_SFF_8636_LEN)
		return -EINVAL;
	memcpy(data, lab_nic(dev)->eeprom + wanted->offset, wanted->len);
	return 0;
}

static int lab_change_carrier(struct net_device *dev, bool carrier)
{
	if (carrier)
		netif_carrier_on(dev);
	else
		netif_carrier_off(dev);
	return 0;
}

static struct lab_nic *lab_nic_of(struct device *device)
{
	return &lab_nics[to_platform_device(device)->id % LAB_NICS];
}

static ssize_t current_link_width_show(struct device *device,
				       struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%u\n", lab_nic_of(device)->width);
}

static ssize_t current_link_width_store(struct device *device,
					struct device_attribute *attr,
					const char *text, size_t count)
{
	int err = kstrtou32(text, 10, &lab_nic_of(device)->width);

	return err ? err : count;
}
static DEVICE_ATTR_RW(current_link_width);

static ssize_t current_link_speed_show(struct device *device,
				       struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "32.0 GT/s PCIe\n");
}
static DEVICE_ATTR_RO(current_link_speed);

/* The module's EEPROM as 512 hexadecimal digits; nothing takes the module out. */
static ssize_t lab_eeprom_store(struct device *device,
				struct device_attribute *attr,
				const char *text, size_t count)
{
	struct lab_nic *nic = lab_nic_of(device);

	memset(nic->eeprom, 0, sizeof(nic->eeprom));
	if (count >= 2 * sizeof(nic->eeprom) &&
	    hex2bin(nic->eeprom, text, sizeof(nic->eeprom)))
		return -EINVAL;
	return count;
}
static DEVICE_ATTR_WO(lab_eeprom);

static struct attribute *lab_nic_attrs[] = {
	&dev_attr_current_link_width.attr,
	&dev_attr_current_link_speed.attr,
	&dev_attr_lab_eeprom.attr,
	NULL
};
ATTRIBUTE_GROUPS(lab_nic);

static u32 lab_number(struct arglist *def, char *key, u32 otherwise)
{
	char *text = uml_vector_fetch_arg(def, key);
	u32 value;

	return text && kstrtou32(text, 10, &value) == 0 ? value : otherwise;
}

/* Called before the device is registered with the kernel. */
static void lab_nic_setup(int unit, struct arglist *def, struct device *device)
{
	struct lab_nic *nic = &lab_nics[unit % LAB_NICS];

	nic->speed = lab_number(def, "speed", SPEED_UNKNOWN);
	nic->width = lab_number(def, "width", 4);
	nic->fec = ETHTOOL_FEC_RS;
	device->groups = lab_nic_groups;
}
